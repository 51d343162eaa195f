-- Which hosts were reached, by which tools? Hosts in commands, and in what a tool was asked to fetch, are
-- found by their addresses.
WITH reached AS (
    SELECT record_key, tool, host, outcome, called_at
    FROM tool_calls
    WHERE is_counted AND host IS NOT NULL
    UNION ALL
    SELECT
        record_key,
        tool,
        unnest(list_distinct(regexp_extract_all(
            lower(coalesce(command, input)), 'https?://(?:[^/@\s]*@)?([a-z0-9.-]+)', 1
        ))),
        outcome,
        called_at
    FROM tool_calls
    WHERE is_counted
        AND host IS NULL
        AND (command LIKE '%://%' OR category = 'Fetch' AND input LIKE '%://%')
)
SELECT
    host,
    tool,
    count(*) AS calls,
    count(*) FILTER (WHERE outcome = 'error') AS failed,
    count(DISTINCT record_key) AS sessions,
    min(called_at) AS first_at,
    max(called_at) AS last_at
FROM reached
GROUP BY ALL
ORDER BY calls DESC, host, tool;
