"""An MPNet with small layers and random weights, instead of large encoders."""


def save_tiny_mpnet(folder, words, **changed):
    """Save one that knows these words; `changed` replaces fields of its configuration. Return the folder."""
    import torch
    from transformers import MPNetConfig, MPNetModel, MPNetTokenizer

    vocabulary = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *words.split()]
    MPNetTokenizer(vocab={word: number for number, word in enumerate(vocabulary)}).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    sizes |= {"vocab_size": len(vocabulary), "pad_token_id": 1, "max_position_embeddings": 300}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        MPNetModel(MPNetConfig(**sizes | changed)).save_pretrained(folder)
    return folder
