"""What an act of Concordia's ``basic`` entity costs as its users run it, with nothing of ours around it, in calls."""

import numpy as np
from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank
from concordia.language_model.no_language_model import NoLanguageModel
from concordia.prefabs.entity import basic
from concordia.typing.entity import ActionSpec, OutputType

calls = []


class Counted(NoLanguageModel):
    """Answers anything, and notes what it is asked."""

    def sample_text(self, prompt, **how):
        calls.append(prompt)
        return "It is so."

    def sample_choice(self, prompt, responses, **how):
        calls.append(prompt)
        return 0, responses[0], {}


bank = AssociativeMemoryBank(lambda text: np.ones(3) * len(text))
entity = basic.Entity(params={**basic.Entity().params, "name": "LL"}).build(Counted(), bank)
entity.observe("You are outside.")
options = ("wait", "go home")
entity.act(ActionSpec(call_to_action="What does LL do next?", output_type=OutputType.CHOICE, options=options))
print(len(calls))
