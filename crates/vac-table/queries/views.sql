-- The tables in the folder `tables`, as views.
CREATE OR REPLACE VIEW sessions AS SELECT * FROM read_parquet('tables/sessions/**/*.parquet', hive_partitioning = true, hive_types_autocast = false);
CREATE OR REPLACE VIEW entries AS SELECT * FROM read_parquet('tables/entries/**/*.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW tool_calls AS SELECT * FROM read_parquet('tables/tool_calls/**/*.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW usage AS SELECT * FROM read_parquet('tables/usage/**/*.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW files AS SELECT * FROM read_parquet('tables/files/**/*.parquet', hive_partitioning = false);
