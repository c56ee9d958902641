/**
 * Test files, below `test/`, that are quick by themselves: `npm run test:together` runs those of a group in the few
 * processes that its numbered files here are. Titles within a group must differ: ava says so where they do not. /
 */
export const groups: Readonly<Record<string, string>> = {
  simulator: 'plugins/cloud-simulator/**/*.test.ts',
  cloud: 'plugins/cloud/!(observe*|fleets-*|liveness|lazy-sdk|*broker*|*clean-up*).test.ts',
  core: 'core/**/*.test.ts',
  config: 'config/*.test.ts',
  spec: 'spec/*.test.ts',
  operations: 'host/operations/*.test.ts',
  formats: 'plugins/{default-format,hostfactory-format,storage-memory}/**/*.test.ts',
  asg: 'plugins/cloud-asg/!(broker).test.ts',
  rest: 'host/rest/!(documentation-pages).test.ts',
};
