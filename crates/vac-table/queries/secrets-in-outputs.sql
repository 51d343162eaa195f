-- Which outputs of tools contain what looks like a secret? The secret itself is not printed.
WITH patterns(kind, pattern) AS (
    VALUES
        ('private key', '-----BEGIN [A-Z ]*PRIVATE KEY'),
        ('access key of AWS', '\bAKIA[0-9A-Z]{16}\b'),
        ('token of GitHub', '\b(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36,}|\bgithub_pat_[A-Za-z0-9_]{40,}'),
        ('key of a model provider', '\bsk-[A-Za-z0-9_-]{20,}'),
        ('JSON web token', '\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.'),
        ('password in an address', '://[^/\s:@]+:[^/\s:@]+@'),
        ('password or token', '(?i)\b(password|passwd|secret|token|api_?key)["'']?\s*[=:]\s*["'']?[A-Za-z0-9_/+.-]{12,}')
)
SELECT
    p.kind,
    s.agent,
    s.session_id,
    c.call_index,
    c.tool,
    c.command,
    c.paths,
    c.answered_at
FROM tool_calls c
JOIN patterns p ON regexp_matches(c.output_text, p.pattern)
JOIN sessions s USING (record_key)
WHERE c.is_counted
ORDER BY p.kind, s.session_id, c.call_index;
