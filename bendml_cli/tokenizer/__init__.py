"""Byte-level BPE for Python users: GPT-2's tokenizer and others of its kind, with a native core.

```python
tokenizer = Tokenizer.load(folder)
ids = tokenizer.encode("How are you?")
assert tokenizer.decode(ids) == "How are you?"
```
"""

from bendml_cli.errors import TokenizerError
from bendml_cli.tokenizer.tokenizer import Backend, NativeFallback, Tokenizer, train
from bendml_cli.tokenizer.vocabulary import Vocabulary

__all__ = ["Backend", "NativeFallback", "Tokenizer", "TokenizerError", "Vocabulary", "train"]
