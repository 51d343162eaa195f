"""Ask a question in SQL about tables.

    python ask.py TABLES QUERY.sql

The query names the tables as files of the folder `tables`.
"""

import pathlib
import sys

import duckdb

folder, query = sys.argv[1:]
sql = pathlib.Path(query).read_text().replace("'tables/", f"'{folder}/")
print(duckdb.sql(sql))
