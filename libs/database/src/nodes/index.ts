export * from './keep-node.js';
export * from './list-nodes.js';
