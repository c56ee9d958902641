/**
 * Quick test files below `test/`, by group. `npm run test:together` starts one process for each numbered file of this
 * folder, and shares the test files of a group among them: most test files take less time than the start of a process.
 * Titles within a group must differ, because their tests may share a process.
 */
export const groups: Readonly<Record<string, string>> = {
  simulator: 'plugins/cloud-simulator/**/*.test.ts',
  cloud: 'plugins/cloud/!(observe*|fleets-*|liveness|lazy-sdk|*broker*|*clean-up*).test.ts',
  core: 'core/**/*.test.ts',
  spec: '{spec,scenarios}/*.test.ts',
  operations: 'host/{operations,budgets,usage,init,doctor,services,package}/*.test.ts',
  observe: 'plugins/cloud/{observe*,liveness,fleets-maintained,prices-broker}.test.ts',
  formats: '{plugins/{default-format,hostfactory-format,storage-memory,events-webhook}/**,plugin-testkit}/*.test.ts',
  slurm: 'plugins/slurm/*.test.ts',
  fleets: 'plugins/cloud-{spotfleet,ec2fleet,runinstances,checks}/*.test.ts',
  asg: 'plugins/cloud-asg/!(broker).test.ts',
  hostfactory: 'host/hostfactory/**/!(script-place).test.ts',
  cli: 'host/cli/**/!(help-examples).test.ts',
  hostile: 'host/hostile/!(modes|pressure).test.ts',
  rest: 'host/{rest,page}/**/*.test.ts',
  postgres: 'plugins/storage-postgres/!(contract|held-locks).test.ts',
  sqlite: 'plugins/storage-sqlite/!(write-turns|backup|contract|growth|sharing).test.ts',
  telemetry: 'host/telemetry/*.test.ts',
  mcp: 'host/mcp/**/*.test.ts',
  isolation: 'host/isolation/*.test.ts',
  server: 'host/{client/!(one-server),http/*,loop/*,process/*,sdk/*,store/*,streams/*}.test.ts',
  launcher:
    'host/{launcher*,config-show,connection-balancer,metrics,reload.variants,request-metrics,socket-path,unknown-keys}.test.ts',
  docs: '{docs,deploy,package,config/**}/*.test.ts',
};

/**
 * Groups whose tests have a clock of their own and wait for nothing. At the same time they would only fill the memory:
 * a quarter of the processor's time is garbage then. Tests that wait for real time must run at the same time.
 */
export const oneByOne: ReadonlySet<string> = new Set(['core']);
