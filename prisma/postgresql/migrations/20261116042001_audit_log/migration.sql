-- Who changed what: one row for each change, written with it or right after it.

-- CreateTable
CREATE TABLE "audit_log" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "key_id" BIGINT,
    "by" VARCHAR(128),
    "address" VARCHAR(64),
    "action" VARCHAR(32) NOT NULL,
    "entity" VARCHAR(16) NOT NULL,
    "entity_id" VARCHAR(64) NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "trace_id" VARCHAR(32) NOT NULL,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_id_idx" ON "audit_log"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_by_id_idx" ON "audit_log"("tenant_id", "by", "id") WHERE "by" IS NOT NULL;

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_action_id_idx" ON "audit_log"("tenant_id", "action", "id");

-- CreateIndex
CREATE INDEX "audit_log_tenant_id_entity_entity_id_id_idx" ON "audit_log"("tenant_id", "entity", "entity_id", "id");
