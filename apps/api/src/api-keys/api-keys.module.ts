import { Module } from '@nestjs/common';
import { Idempotency } from '../http/idempotency.js';
import { ApiKeysController } from './api-keys.controller.js';

@Module({ controllers: [ApiKeysController], providers: [Idempotency] })
export class ApiKeysModule {}
