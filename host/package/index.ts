/** `import … from 'muster'`: what plugins are written with, and what programs embed a broker or call one with. */
export * from '../../core/index.ts';
export * from '../sdk/index.ts';
