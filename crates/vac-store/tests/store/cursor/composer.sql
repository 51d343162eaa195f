-- What fixtures/cursor/composer/state.vscdb is made of: an IDE's database with four
-- conversations. Rows of other kinds stand for what nobody may read.
PRAGMA page_size = 512;
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);

INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'credential-one');
INSERT INTO cursorDiskKV VALUES ('agentKv:blob:1', 'credential-two');
INSERT INTO cursorDiskKV VALUES ('composerDataX', 'credential-three');
INSERT INTO cursorDiskKV VALUES ('bubbleIdX:a:b', 'credential-four');

-- A conversation as they are written today.
INSERT INTO cursorDiskKV VALUES ('composerData:11111111-aaaa-4aaa-8aaa-000000000001',
'{"_v":10,"composerId":"11111111-aaaa-4aaa-8aaa-000000000001","name":"Quiet kettle","createdAt":1786000000000,"lastUpdatedAt":1786000090000,"status":"completed","unifiedMode":"agent","createdOnBranch":"quiet","modelConfig":{"modelName":"default","maxMode":false},"workspaceIdentifier":{"id":"w1","uri":{"fsPath":"/home/ada/kettle","scheme":"file"}},"contextTokensUsed":5120,"usageData":{},"blobEncryptionKey":"secret-one","fullConversationHeadersOnly":[{"bubbleId":"b-ask","type":1},{"bubbleId":"b-think","type":2},{"bubbleId":"b-read","type":2,"serverBubbleId":"s-1"},{"bubbleId":"own-name","type":2},{"bubbleId":"b-null","type":2},{"bubbleId":"b-gone","type":2},{"bubbleId":"b-run","type":2},{"bubbleId":"b-run","type":2},{"bubbleId":"b-done","type":2},{"bubbleId":"","type":1}]}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-ask',
'{"_v":3,"type":1,"bubbleId":"b-ask","text":"Why does the kettle whistle twice?","richText":"{\"root\":{}}","createdAt":"2026-08-06T07:06:40.000Z","modelInfo":{"modelName":"gpt-5.2"},"tokenCount":{"inputTokens":0,"outputTokens":0},"workspaceUris":["file:///home/ada/kettle"]}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-think',
'{"_v":3,"type":2,"bubbleId":"b-think","text":"","thinking":{"text":"Two listeners, perhaps.","signature":"c2ln"},"thinkingDurationMs":1200,"createdAt":"2026-08-06T07:06:42.000Z","modelInfo":{"modelName":"gpt-5.2","temperature":0.20},"toolFormerData":{"additionalData":{}}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-read',
'{"_v":3,"type":2,"bubbleId":"b-read","text":"","createdAt":"2026-08-06T07:06:45.000Z","toolFormerData":{"tool":40,"toolIndex":0,"toolCallId":"call_1\nfc_1","modelCallId":"m-1","status":"completed","name":"read_file_v2","rawArgs":"{\"path\":\"src/boil.ts\"}","params":"{\"targetFile\":\"/home/ada/kettle/src/boil.ts\"}","result":"{\"contents\":\"on(boil, whistle);\\non(boil, whistle);\"}","userDecision":"accepted","additionalData":{}},"tokenCount":{"inputTokens":1200,"outputTokens":34}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:row-of-its-own',
'{"_v":3,"type":2,"bubbleId":"own-name","text":"It listens twice.","timingInfo":{"clientStartTime":1786000010000,"clientEndTime":1786000012000},"modelInfo":{"modelName":"gpt-5.2"},"tokenCount":{"inputTokens":1300,"outputTokens":8}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-null', NULL);
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-run',
'{"_v":3,"type":2,"bubbleId":"b-run","text":"","createdAt":"2026-08-06T07:07:10.000Z","timingInfo":{"clientStartTime":4211.5},"toolFormerData":{"tool":15,"toolCallId":"call_2","status":"error","name":"run_terminal_command_v2","params":"{\"command\":\"npm test\"}","error":{"clientVisibleErrorMessage":"The command was not found."},"superseded":"not ours"},"tokenCount":{"inputTokens":"many","outputTokens":5}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-done',
'{"_v":3,"type":2,"bubbleId":"b-done","text":"One listener is gone.","createdAt":"2026-08-06T07:08:00.000Z","modelInfo":{"modelName":"claude-4.5-sonnet"},"tokenCount":{"inputTokens":1500,"outputTokens":40},"superseded":true,"codeBlocks":[{"uri":{"path":"/home/ada/kettle/src/boil.ts"},"content":"on(boil, whistle);"}]}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:b-nameless',
'{"_v":3,"type":1,"bubbleId":"","text":"Thank you.","createdAt":"2026-08-06T07:08:10.000Z"}');
-- Nobody names these any more.
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-first-try',
'{"_v":3,"type":2,"bubbleId":"o-first-try","text":"It is haunted.","tokenCount":{"inputTokens":900,"outputTokens":4}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-pending',
'{"type":2,"toolFormerData":{"tool":15,"status":"loading","name":"run_terminal_command_v2","rawArgs":"","params":"{}"}}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-type', '{"type":7,"text":"of another type"}');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-text', 'not JSON: {"type":');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-bytes', x'ff00fe');
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-number', 42);
INSERT INTO cursorDiskKV VALUES ('bubbleId:11111111-aaaa-4aaa-8aaa-000000000001:o-twice', '{"type":1,"text":"one","text":"two"}');

-- A conversation of the time when bubbles were inside.
INSERT INTO cursorDiskKV VALUES ('composerData:22222222-bbbb-4bbb-8bbb-000000000002',
'{"composerId":"22222222-bbbb-4bbb-8bbb-000000000002","createdAt":1740000000000,"conversation":[{"type":1,"bubbleId":"i-1","text":"Name this kettle."},{"type":2,"text":"Call it Whistler.","tokenCount":{"inputTokens":20,"outputTokens":6},"timingInfo":{"clientRpcSendTime":1740000001000}},"a text"]}');

-- A composer without anything.
INSERT INTO cursorDiskKV VALUES ('composerData:33333333-cccc-4ccc-8ccc-000000000003', NULL);

-- Bubbles without a composer.
INSERT INTO cursorDiskKV VALUES ('bubbleId:44444444-dddd-4ddd-8ddd-000000000004:b-1',
'{"type":1,"bubbleId":"b-1","text":"Is anybody there?","createdAt":"2026-08-07T10:00:00.000Z"}');
