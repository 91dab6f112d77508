-- Those that wait already were promised what their task says now.
UPDATE `outbox` o JOIN `tasks` t ON t.`id` = o.`task_id` SET o.`signed` = true
WHERE o.`status` = 'PENDING' AND JSON_UNQUOTE(JSON_EXTRACT(t.`notify`, '$.security.type')) = 'aksk';
