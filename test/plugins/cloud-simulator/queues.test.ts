import { StartInstancesCommand, StopInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import test, { type ExecutionContext } from 'ava';
import type { SimulatorOptions } from '../../../plugins/cloud-simulator/server/server.ts';
import { launch, openCloud, refusal } from './support.ts';

/** A simulated cloud with a queue `events`. */
async function openQueue(t: ExecutionContext, options: SimulatorOptions = {}) {
  const cloud = await openCloud(t, options);
  const client = (key = 'AKIATEST0001') => {
    const made = new SQSClient({
      endpoint: cloud.simulator.url,
      region: 'us-east-1',
      maxAttempts: 1,
      useQueueUrlAsEndpoint: false,
      credentials: { accessKeyId: key, secretAccessKey: 'secret' },
    });
    t.teardown(() => made.destroy());
    return made;
  };
  const sqs = client();
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'events' }));
  const receive = async (more: Partial<ReceiveMessageCommandInput> = {}): Promise<readonly Message[]> =>
    (await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more }))).Messages ?? [];
  const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  /** All messages that are visible now, deleted. */
  const drain = async (): Promise<any[]> => {
    const read: any[] = [];
    for (;;) {
      const messages = await receive();
      if (messages.length === 0) return read;
      read.push(...messages.map(({ Body = '' }) => JSON.parse(Body)));
      await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl,
          Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
        }),
      );
    }
  };
  return { ...cloud, sqs, client, QueueUrl, receive, send, drain };
}

const spot = { InstanceMarketOptions: { MarketType: 'spot' as const } };

test('a queue is found by its name, and its attributes count its messages', async (t) => {
  const { sqs, QueueUrl, receive, send } = await openQueue(t);
  t.regex(QueueUrl, /^https:\/\/sqs\.us-east-1\.amazonaws\.com\/\d{12}\/events$/);
  t.is((await sqs.send(new GetQueueUrlCommand({ QueueName: 'events' }))).QueueUrl, QueueUrl);
  t.is((await sqs.send(new CreateQueueCommand({ QueueName: 'events' }))).QueueUrl, QueueUrl);
  await send('one');
  await send('two');
  await receive({ MaxNumberOfMessages: 1 });
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  t.is(Attributes?.ApproximateNumberOfMessages, '1');
  t.is(Attributes?.ApproximateNumberOfMessagesNotVisible, '1');
  t.regex(Attributes?.QueueArn ?? '', /^arn:aws:sqs:us-east-1:\d{12}:events$/);
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  t.is((await refusal(receive())).code, 'QueueDoesNotExist');
});

test('a received message is invisible until its time-out, then it comes again, unless it is deleted', async (t) => {
  const { sqs, QueueUrl, receive, send, simulator } = await openQueue(t);
  await send('hello');
  const [first] = await receive({ VisibilityTimeout: 10, MessageSystemAttributeNames: ['All'] });
  t.is(first?.Body, 'hello');
  t.is(first?.Attributes?.ApproximateReceiveCount, '1');
  t.deepEqual(await receive(), []);
  simulator.advance(10_000);
  const [again] = await receive({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
  t.is(again?.MessageId, first?.MessageId);
  t.is(again?.Attributes?.ApproximateReceiveCount, '2');

  // The handle of the first delivery is accepted and deletes nothing.
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
  simulator.advance(30_000);
  const [third] = await receive();
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: third?.ReceiptHandle }));
  simulator.advance(60_000);
  t.deepEqual(await receive(), []);
});

test('a waiting receiver gets a message as soon as it is sent, and an empty answer when its time is over', async (t) => {
  const { receive, send, simulator } = await openQueue(t);
  const waiting = receive({ WaitTimeSeconds: 20 });
  await send('late');
  t.deepEqual(
    (await waiting).map(({ Body }) => Body),
    ['late'],
  );
  t.deepEqual(await receive({ WaitTimeSeconds: 1 }), []);
  const { audit } = simulator;
  t.is(audit().filter(({ action }) => action === 'ReceiveMessage').length, 2, 'each wait is one call');
});

test('calls that SQS refuses are refused with its codes', async (t) => {
  const { sqs, client, QueueUrl, receive, simulator } = await openQueue(t);
  const refused = async (call: Promise<unknown>) => (await refusal(call)).code;
  const batch = (Entries: { Id: string; ReceiptHandle: string }[]) =>
    sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  t.is(await refused(batch([])), 'EmptyBatchRequest');
  const entry = (Id: number | string) => ({ Id: String(Id), ReceiptHandle: 'x' });
  t.is(await refused(batch(Array.from({ length: 11 }, (_, id) => entry(id)))), 'TooManyEntriesInBatchRequest');
  t.is(await refused(batch([entry(1), entry(1)])), 'BatchEntryIdsNotDistinct');
  t.is(await refused(batch([entry('a b')])), 'InvalidBatchEntryId');
  t.is((await batch([entry(1)])).Failed?.[0]?.Code, 'ReceiptHandleIsInvalid');
  t.is(await refused(receive({ MaxNumberOfMessages: 11 })), 'InvalidParameterValue');
  t.is(await refused(receive({ WaitTimeSeconds: 21 })), 'InvalidParameterValue');
  t.is(await refused(sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'x' }))), 'ReceiptHandleIsInvalid');
  t.is(await refused(client('AKIATEST0002').send(new ReceiveMessageCommand({ QueueUrl }))), 'QueueDoesNotExist');
  simulator.setKnobs({ auth: { denied: [{ action: 'ReceiveMessage' }] } });
  const denied = await refusal(receive({ WaitTimeSeconds: 20 }));
  t.regex(denied.code, /^AccessDenied/);
  t.is(denied.status, 403);
  t.regex(denied.message, /not authorized to perform: sqs:ReceiveMessage/);
});

test('the states of a machine, its interruption and its recommendation arrive in the envelope of EventBridge', async (t) => {
  const { ec2, simulator, drain } = await openQueue(t);
  const { Instances: [{ InstanceId: id = '' } = {}] = [] } = await ec2.send(launch(spot));
  simulator.advance(2_000);
  simulator.setKnobs({ rebalance: [{ instance_ids: [id] }] });
  simulator.setKnobs({ reclaim: [{ instance_ids: [id] }] });
  simulator.advance(121_000);
  const events = await drain();
  t.deepEqual(
    events.map((event) => [event['detail-type'], event.detail.state ?? event.detail['instance-action'] ?? '']),
    [
      ['EC2 Instance State-change Notification', 'pending'],
      ['EC2 Instance State-change Notification', 'running'],
      ['EC2 Instance Rebalance Recommendation', ''],
      ['EC2 Spot Instance Interruption Warning', 'terminate'],
      ['EC2 Instance State-change Notification', 'shutting-down'],
      ['EC2 Instance State-change Notification', 'terminated'],
    ],
  );
  for (const { version, id: event, account, region, time, source, resources, detail } of events) {
    t.is(version, '0');
    t.regex(event, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    t.is(source, 'aws.ec2');
    t.deepEqual(resources, [`arn:aws:ec2:${region}:${account}:instance/${id}`]);
    t.is(detail['instance-id'], id);
  }
});

test('a machine that stops and starts tells each state', async (t) => {
  const { ec2, drain, simulator } = await openQueue(t);
  const InstanceIds = [(await ec2.send(launch())).Instances?.[0]?.InstanceId ?? ''];
  simulator.advance(2000);
  await drain();
  await ec2.send(new StopInstancesCommand({ InstanceIds }));
  simulator.advance(1000);
  await ec2.send(new StartInstancesCommand({ InstanceIds }));
  simulator.advance(2000);
  t.deepEqual(
    (await drain()).map((event) => event.detail.state),
    ['stopping', 'stopped', 'pending', 'running'],
  );
});

test('a scheduled change arrives as an event of AWS Health that names the machine', async (t) => {
  const { ec2, simulator, drain } = await openQueue(t);
  const { Instances: [{ InstanceId: id = '' } = {}] = [] } = await ec2.send(launch());
  simulator.advance(2_000);
  await drain();
  simulator.setKnobs({ health: [{ instance_ids: [id], event: 'instance-retirement', event_in_ms: 3_600_000 }] });
  const [event] = await drain();
  t.is(event['detail-type'], 'AWS Health Event');
  t.is(event.source, 'aws.health');
  t.is(event.detail.eventTypeCategory, 'scheduledChange');
  t.is(event.detail.eventTypeCode, 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED');
  t.is(Date.parse(event.detail.startTime), simulator.clock.now() + 3_600_000);
  t.deepEqual(
    event.detail.affectedEntities.map((each: { entityValue: string }) => each.entityValue),
    [id],
  );
});

test('a knob makes queues that exist without a call, and others repeat, mix, forge and break messages', async (t) => {
  const { ec2, simulator, receive, QueueUrl } = await openQueue(t, {
    knobs: { queues: { names: ['events', 'other'], repeat: 1, foreign: 1, malformed: 1 } },
  });
  t.truthy(QueueUrl);
  const { Instances: [{ InstanceId: id = '' } = {}] = [] } = await ec2.send(launch());
  const bodies = (await receive()).map(({ Body = '' }) => Body);
  t.is(bodies.length, 4);
  t.is(bodies[0], bodies[1]);
  t.false(bodies[2]?.includes(id));
  t.throws(() => JSON.parse(bodies[3] ?? ''));

  simulator.setKnobs({ queues: { repeat: 0, foreign: 0, malformed: 0, delay_ms: { min: 0, max: 60_000 } } });
  const { Instances = [] } = await ec2.send(launch({ MinCount: 10, MaxCount: 10 }));
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: Instances.map(({ InstanceId = '' }) => InstanceId) }));
  simulator.advance(61_000);
  const states: string[] = [];
  for (let page = await receive(); page.length > 0; page = await receive())
    for (const { Body = '' } of page) if (!bodies.includes(Body)) states.push(JSON.parse(Body).detail.state);
  t.true(states.length >= 30);
  t.not(
    states.findIndex((state) => state !== 'pending'),
    10,
    'the order of the messages is mixed',
  );
});
