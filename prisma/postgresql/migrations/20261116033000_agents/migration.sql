-- Runs that wait for an agent. A row is a hint: the run's own status decides whether it may be handed out.

-- CreateTable
CREATE TABLE "agent_runs" (
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "category" VARCHAR(128),
    "task_name" VARCHAR(128) NOT NULL,
    "creator" VARCHAR(128),
    "place" SMALLINT NOT NULL,
    "available_at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "agent_runs_pkey" PRIMARY KEY ("run_id"),
    CONSTRAINT "agent_runs_place_check" CHECK ("place" BETWEEN 0 AND 9)
);

-- CreateIndex: the order in which they are handed out
CREATE INDEX "agent_runs_order_idx" ON "agent_runs"("tenant_id", "place", "available_at", "run_id");

-- CreateIndex: the same for agents of one category
CREATE INDEX "agent_runs_category_idx" ON "agent_runs"("tenant_id", "category", "place", "available_at", "run_id");
