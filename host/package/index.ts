import '../../core/node/refuse-old-node.ts';

/** `import … from 'muster'`: for authors of plugins, and for programs that embed or call a broker. */
export * from '../../core/index.ts';
export * from '../sdk/index.ts';
