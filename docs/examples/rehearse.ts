import { DescribeInstancesCommand as Describe, EC2Client, RunInstancesCommand as Run } from '@aws-sdk/client-ec2';

const endpoint = process.argv[2] ?? 'http://127.0.0.1:4566';
const credentials = { accessKeyId: 'AKIAREHEARSAL', secretAccessKey: 'any' };
const ec2 = new EC2Client({ endpoint, credentials, region: 'us-east-1', maxAttempts: 1 });
const report = (what: string, result: Promise<string>) =>
  result.catch(({ name }: Error) => name).then((text) => console.log(`${what}: ${text}`));

const launch = async (market: object) => {
  const answer = await ec2.send(
    new Run({ ImageId: 'ami-1', InstanceType: 'm5.large', MinCount: 1, MaxCount: 4, ...market }),
  );
  return `${answer.Instances?.length} of 4`;
};
const describe = async () => {
  const answer = await ec2.send(new Describe({ MaxResults: 100 }));
  const states = answer.Reservations?.flatMap((each) => each.Instances ?? []).map((each) => each.State?.Name);
  return (
    [...Map.groupBy(states ?? [], String)].map(([state, all]) => `${all.length} ${state}`).join(', ') || 'nothing'
  );
};

await report('launch On-Demand', launch({}));
await report('launch Spot', launch({ InstanceMarketOptions: { MarketType: 'spot' } }));
await report('at once', describe());
for (const seconds of [30, 60, 210]) {
  // The simulator's clock: no real waiting.
  await fetch(`${endpoint}/_sim/clock`, { method: 'POST', body: JSON.stringify({ advance_ms: seconds * 1000 }) });
  await report(`${seconds} seconds later`, describe());
}
const { untagged } = (await (await fetch(`${endpoint}/_sim/ledger`)).json()) as { untagged: string[] };
console.log(`alive in the cloud: ${untagged.length}`);
