//! One module for each numbered attack of SECURITY.md.

mod a01_links;
mod a02_temporary_copies;
mod a03_output_modes;
mod a04_secrets_in_unparsed_frames;
mod a05_replaced_records;
mod a06_concurrent_runs;
mod a07_swapped_logs;
mod a08_databases_in_use;
mod a09_several_records_in_a_file;
mod a10_duplicate_keys;
mod a11_unchecked_signatures;
mod a12_statements_without_record;
mod a13_named_hashes;
mod a14_trust_roots;
mod a15_key_identifiers;
mod a16_receipts;
mod a17_foreign_headers;
mod a18_key_files_and_force;
mod a19_payloads;
mod a20_missing_rules;
mod a22_quadratic_work;
mod a23_memory;
mod a24_schema_limits;
mod a25_fuzzing;
mod craft;
