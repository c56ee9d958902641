import type { Cluster } from './cluster.ts';

const living = new Set<Cluster>();

/**
 * Ends a cluster with this process, however that ends: by an exception that nobody catches, or by a signal. Its
 * daemons would live on. Returns what to call when the cluster was stopped.
 */
export function endWithThisProcess(cluster: Cluster): () => void {
  living.add(cluster);
  return () => void living.delete(cluster);
}

process.once('exit', () => {
  for (const cluster of living)
    try {
      cluster.abandon();
    } catch (error) {
      // The others must end, too.
      process.stderr.write(`${String(error)}\n`);
    }
});
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(143));
