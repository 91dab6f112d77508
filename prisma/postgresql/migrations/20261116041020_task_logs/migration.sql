-- Of tasks with more runs than their attempts are kept of: runs whose ids sort before `kept_from` have none any more.

-- CreateTable
CREATE TABLE "task_logs" (
    "task_id" BIGINT NOT NULL,
    "kept_from" VARCHAR(64) COLLATE "C" NOT NULL,
    CONSTRAINT "task_logs_pkey" PRIMARY KEY ("task_id")
);
