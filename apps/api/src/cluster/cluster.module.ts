import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';
import { OwnNode } from './own-node.js';

@Module({ controllers: [ClusterController], providers: [OwnNode], exports: [OwnNode] })
export class ClusterModule {}
