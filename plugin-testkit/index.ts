/** `import … from 'muster/plugin-testkit'`: tests plugins against the contracts of their extension points. */
export type { Runner } from './runner.ts';
export { testStorage } from './storage/test-storage.ts';
export type { StorageSubject } from './storage/subject.ts';
export type { LaunchFaultKind, NoticeWorld, ProviderKit, ProviderWorld } from './provider/provider-kit.ts';
export { testProvider } from './provider/test-provider.ts';
export { testService, type ServiceSubject } from './service/test-service.ts';
export { testScheduler } from './scheduler/test-scheduler.ts';
export type { ReadFile, SampleFile, SchedulerSubject } from './scheduler/subject.ts';
