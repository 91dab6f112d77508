-- What lets programs and people in. Of a key only its hash is kept, and the part by which it is found.

-- CreateTable
CREATE TABLE "api_keys" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL,
    "name" VARCHAR(128) NOT NULL,
    "role" VARCHAR(16) NOT NULL,
    "prefix" VARCHAR(16) COLLATE "C" NOT NULL,
    "hash" CHAR(64) NOT NULL,
    "created_by" VARCHAR(128),
    "created_at" TIMESTAMP(3) NOT NULL,
    "expires_at" TIMESTAMP(3),
    "revoked_at" TIMESTAMP(3),
    "last_used_at" TIMESTAMP(3),
    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_role_check" CHECK ("role" IN ('VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN'))
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_prefix_key" ON "api_keys"("prefix");

-- CreateIndex
CREATE INDEX "api_keys_tenant_id_id_idx" ON "api_keys"("tenant_id", "id");
