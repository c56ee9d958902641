import test from 'ava';
import { budgetBench } from '../../budgets/budget-bench.ts';

test('a machine has the number of vCPUs that its plugin knows, also when no machine type was discovered yet', async (t) => {
  const bench = await budgetBench([]);
  const id = await bench.request(1);
  await bench.settle();
  const { machines } = await bench.status(id);
  t.deepEqual(
    machines.map(({ machine_type, vcpus }) => [machine_type, vcpus]),
    [['small-2', 2]],
  );
  await bench.close();
});
