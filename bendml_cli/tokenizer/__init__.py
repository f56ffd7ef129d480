"""Byte-level BPE for Python users: GPT-2's tokenizer and others of its kind, with a native core.

```python
from bendml_cli.tokenizer.tokenizer import Tokenizer

tokenizer = Tokenizer.load(folder)  # with vocab.json and merges.txt
ids = tokenizer.encode("How are you?")
assert tokenizer.decode(ids) == "How are you?"
```
"""
