import { checkPlugin } from '../check-plugin.ts';
import { checksOf } from '../runner.ts';
import { checkAdditions } from './checks/additions.ts';
import { checkNumbers } from './checks/numbers.ts';
import { checkAtomicity } from './checks/atomicity.ts';
import { checkJobs } from './brokers/jobs.ts';
import { checkLeases } from './brokers/leases.ts';
import { checkShares } from './brokers/shares.ts';
import { checkBudgets } from './checks/budgets.ts';
import { checkClaims } from './checks/claims.ts';
import { checkCommits } from './checks/commits.ts';
import { contractOf } from './contract.ts';
import { checkCopies } from './checks/copies.ts';
import { checkDurability } from './processes/durability.ts';
import { checkEvents } from './concurrency/events.ts';
import { checkInterruptions } from './concurrency/interruptions.ts';
import { checkLimits } from './checks/limits.ts';
import { checkLife } from './checks/life.ts';
import { checkStorageManifest } from './checks/manifest.ts';
import { checkPaging } from './checks/paging.ts';
import { checkProcesses } from './processes/processes.ts';
import { checkQueries } from './checks/queries.ts';
import { checkSharing } from './concurrency/sharing.ts';
import { checkSlots } from './checks/slots.ts';
import { checkTakeovers } from './concurrency/takeovers.ts';
import { checkVersions } from './checks/versions.ts';
import { driverOf, type StorageSubject } from './subject.ts';

/**
 * Checks every rule of the contract of `Store`, each as a separate test. Checks that cannot run are todos: those of
 * several store objects if a storage is not `shared`, those of data that outlives a store if it is not `durable`,
 * those of other processes without `module`, those of a storage that refuses without `interrupt`.
 */
export function testStorage(subject: StorageSubject): void {
  const driver = driverOf(subject);
  const checks = checksOf(subject.test, `storage '${driver.type}'`);
  const contract = contractOf(checks, subject);
  checkPlugin(checks, subject.plugin);
  checkStorageManifest(checks, subject);
  checkCommits(contract);
  checkVersions(contract);
  checkLimits(contract);
  checkSlots(contract);
  checkBudgets(contract);
  checkAdditions(contract);
  checkNumbers(contract);
  checkAtomicity(contract);
  checkQueries(contract);
  checkPaging(contract);
  checkClaims(contract);
  checkLeases(contract);
  checkShares(contract);
  checkJobs(contract);
  checkTakeovers(contract);
  checkEvents(contract);
  checkLife(contract);
  checkSharing(contract);
  checkInterruptions(contract, subject);
  checkDurability(contract, subject);
  checkProcesses(contract, subject);
  checkCopies(contract, driver);
}
