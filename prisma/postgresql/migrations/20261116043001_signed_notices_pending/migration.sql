-- Those that wait already were promised what their task says now.
UPDATE "outbox" o SET "signed" = true FROM "tasks" t
WHERE t."id" = o."task_id" AND o."status" = 'PENDING' AND t."notify" #>> '{security,type}' = 'aksk';
