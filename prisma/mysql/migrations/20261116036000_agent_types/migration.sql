-- CreateIndex: the order in which runs are handed out, for agents that ask for one type of work
CREATE INDEX `agent_runs_type_idx` ON `agent_runs`(`tenant_id`, `task_name`, `place`, `available_at`, `run_id`);
