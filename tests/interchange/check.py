"""Schemas, trajectories and spans that vac exports, in the hands of other tools."""

import sys

import harness
import schemas
import sessions

schemas.check_json_schema()
schemas.check_typescript()
sessions.check_trajectories()
sessions.check_spans()
sys.exit(harness.finish())
