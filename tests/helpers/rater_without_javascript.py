"""A rater without JavaScript, who meets the application in this process."""

from rating_studies import agree, load
from starlette.testclient import TestClient

from evaluation.rating.application import create_app
from evaluation.rating.participation import Terms
from evaluation.rating.rating_scale import ATTENTION_CHECK


class RaterWithoutJavascript:
    """One rater of a study, by its place among them."""

    def __init__(self, directory, index=0, *, agreed=True):
        self.study, self.store = load(directory)
        self.terms = Terms.load(directory)
        self.name = list(self.study.items)[index]
        self.packet = self.study.items[self.name]
        self.client = TestClient(create_app(self.study, self.store, self.terms))
        self.link = f"/rate/{self.study.tokens[self.name]}"
        if agreed:
            agree(self.client, self.link)

    def get(self, path="", **arguments):
        return self.client.get(self.link + path, **arguments)

    def fill(self, number, **more):
        """Answer everything about one item, and save it."""
        item = self.packet[number - 1]
        form = {question: str(number % 7 + 1) for question in item.questions}
        if item.check is not None:
            form[ATTENTION_CHECK] = str(item.check.answer)
        return self.client.post(f"{self.link}/{number}", data={**form, **more}, follow_redirects=False)

    def answers(self, number):
        return {question: answer.value for question, answer in self.store.answers(self.name, number).items()}
