import test from 'ava';
import { openCloud } from './support.ts';

// The project has no client of IAM, so the call is written as its protocol has it.
async function getRole(url: string, name: string): Promise<{ status: number; body: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: `Action=GetRole&Version=2010-05-08&RoleName=${encodeURIComponent(name)}`,
  });
  return { status: answer.status, body: await answer.text() };
}

test('every role exists, but for those that are called missing', async (t) => {
  const { simulator } = await openCloud(t);
  const found = await getRole(simulator.url, 'fleet-role');
  t.is(found.status, 200);
  t.regex(found.body, /<GetRoleResult><Role><Path>\/<\/Path><RoleName>fleet-role</);
  t.regex(found.body, /<Arn>arn:aws:iam::\d{12}:role\/fleet-role<\/Arn>/);
  const [, policy = ''] = /<AssumeRolePolicyDocument>(.*?)</.exec(found.body) ?? [];
  t.deepEqual(JSON.parse(decodeURIComponent(policy)).Statement[0].Action, 'sts:AssumeRole');
  const linked = await getRole(simulator.url, 'AWSServiceRoleForEC2Fleet');
  t.regex(linked.body, /:role\/aws-service-role\/ec2fleet\.amazonaws\.com\/AWSServiceRoleForEC2Fleet</);
  const missing = await getRole(simulator.url, 'missing-role');
  t.is(missing.status, 404);
  t.regex(missing.body, /<Code>NoSuchEntity</);
  t.regex((await getRole(simulator.url, 'no role')).body, /<Code>ValidationError</);
  simulator.setKnobs({ auth: { denied: [{ action: 'GetRole' }] } });
  t.regex((await getRole(simulator.url, 'fleet-role')).body, /not authorized to perform: iam:GetRole/);
});
