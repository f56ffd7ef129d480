"""Reading Bend source: lexing, parsing, names, modules, match compilation."""
