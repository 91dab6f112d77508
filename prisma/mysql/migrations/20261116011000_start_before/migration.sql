-- Until when a run may start (max_lateness_seconds); NULL: whenever. No index: only runs that are named are asked.
ALTER TABLE `task_runs` ADD COLUMN `start_before` DATETIME(3) NULL;
