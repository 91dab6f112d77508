-- What failure_action asks: the newest run that was executed and has ended, the tick_attempt it failed with (NULL: it did not fail),
-- and whether a tick has been skipped for it. Moved by the transactions that end runs and by the tick that skips.
ALTER TABLE `task_states` ADD COLUMN `last_ended_run_id` VARCHAR(64) NULL,
    ADD COLUMN `failed_tick_attempt` INTEGER NULL,
    ADD COLUMN `failure_skipped` BOOLEAN NOT NULL DEFAULT false;
