import { checkPlugin } from '../check-plugin.ts';
import { checksOf } from '../runner.ts';
import { checkAdditions } from './additions.ts';
import { checkAtomicity } from './atomicity.ts';
import { checkClaims } from './claims.ts';
import { checkCommits } from './commits.ts';
import { contractOf } from './contract.ts';
import { checkCopies } from './copies.ts';
import { checkDurability } from './durability.ts';
import { checkLimits } from './limits.ts';
import { checkLife } from './life.ts';
import { checkManifest } from './manifest.ts';
import { checkPaging } from './paging.ts';
import { checkProcesses } from './processes.ts';
import { checkQueries } from './queries.ts';
import { checkSharing } from './sharing.ts';
import { checkSlots } from './slots.ts';
import { checkVersions } from './versions.ts';
import { driverOf, type StorageSubject } from './subject.ts';

/**
 * Checks every sentence of the contract of `Store`, each as a test of its own. What cannot be shown is a todo: what several store objects do at once where a
 * storage is not `shared`, what outlives a store where it is not `durable`, what other processes see where no `module` is given.
 */
export function testStorage(subject: StorageSubject): void {
  const driver = driverOf(subject);
  const checks = checksOf(subject.test, `storage '${driver.type}'`);
  const contract = contractOf(checks, subject);
  checkPlugin(checks, subject.plugin);
  checkManifest(checks, subject);
  checkCommits(contract);
  checkVersions(contract);
  checkLimits(contract);
  checkSlots(contract);
  checkAdditions(contract);
  checkAtomicity(contract);
  checkQueries(contract);
  checkPaging(contract);
  checkClaims(contract);
  checkLife(contract);
  checkSharing(contract);
  checkDurability(contract, subject);
  checkProcesses(contract, subject);
  checkCopies(contract, driver);
}
