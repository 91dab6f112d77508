-- What becomes of a run whose node is lost while attempts are left: the next attempt, or the end, for what must not run twice.
ALTER TABLE "tasks" ADD COLUMN "on_node_lost" VARCHAR(8) NOT NULL DEFAULT 'RETRY',
    ADD CONSTRAINT "tasks_on_node_lost_check" CHECK ("on_node_lost" IN ('RETRY', 'FAIL'));
