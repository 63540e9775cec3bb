"""A transformers model of a few thousand random weights, as anyone would save one."""

WORDS = ["[UNK]", "[EOS]", "go", "stay", "read", "book", "the", "a", "house", "I", "want", "to", "live", "well", "."]


def save_tiny_model(path):
    # Imported only here: each worker collects every file, and these imports take seconds.
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", eos_token="[EOS]").save_pretrained(path)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        config = LlamaConfig(
            vocab_size=len(WORDS),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            initializer_range=0.8,
            eos_token_id=1,
            bos_token_id=1,
        )
        LlamaForCausalLM(config).save_pretrained(path)
