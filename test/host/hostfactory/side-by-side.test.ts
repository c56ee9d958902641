import { chmod, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install } from '../../../host/hostfactory/install/install.ts';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { asNobody, testAsNobody } from '../../support/as-nobody.ts';
import { makePlace } from '../../support/boot-broker.ts';

testAsNobody(
  'two providers side by side, with spaces in their paths, configurations that may not be written and nothing on the path: each has its own server',
  async (t) => {
    const place = await makePlace({ configuration: { server: { port: 0 } } });
    const top = join(place.directory, "the scheduler's top");
    const names = ['aws east', 'aws west'];
    const work = (name: string) => join(top, 'work', 'providers', name);
    t.teardown(async () => {
      for (const name of names) {
        const pid = readServerPlace(work(name))?.pid;
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }
      await place.close();
    });
    for (const name of names) {
      const conf = join(top, 'conf', 'providers', name);
      await mkdir(conf, { recursive: true });
      await cp(join(place.directory, 'muster.config.json'), join(conf, 'muster.config.json'));
      await writeFile(
        join(conf, 'awsprov_templates.json'),
        JSON.stringify({
          templates: [
            {
              templateId: name.replace(' ', '-'),
              maxNumber: 1,
              vmType: 't3.small',
              imageId: 'ami-1',
              subnetId: 'subnet-1',
            },
          ],
        }),
      );
      await mkdir(work(name), { recursive: true });
      await chmod(work(name), 0o777);
      install({ directory: join(top, 'scripts', name), dialect: 'symphony', name: name.replace(' ', '-') });
    }
    const input = join(top, 'hf in');
    await writeFile(input, '{}');
    await chmod(place.directory, 0o755);
    const answers = await Promise.all(
      names.map((name) =>
        asNobody(join(top, 'scripts', name, 'getAvailableTemplates.sh'), ['-f', input], {
          cwd: '/',
          env: { PATH: '', HF_PROVIDER_NAME: name, HF_CONFDIR: join(top, 'conf'), HF_WORKDIR: join(top, 'work') },
        }),
      ),
    );
    for (const [index, { code, out, err }] of answers.entries()) {
      t.deepEqual([code, err], [0, ''], out);
      t.deepEqual(
        JSON.parse(out).templates.map(({ templateId }: any) => templateId),
        [names[index]?.replace(' ', '-')],
      );
    }
    t.is(new Set(names.map((name) => readServerPlace(work(name))?.pid)).size, 2);
    for (const name of names)
      t.deepEqual((await readdir(join(top, 'conf/providers', name))).toSorted(), [
        'awsprov_templates.json',
        'muster.config.json',
      ]);
  },
);

testAsNobody(
  'a work directory that cannot be written is reported in one JSON message, with the file and the remedy',
  async (t) => {
    const place = await makePlace({ configuration: { server: { port: 0 } } });
    t.teardown(() => place.close());
    const { directory } = place;
    await chmod(directory, 0o755);
    await mkdir(join(directory, 'work'));
    const { scripts } = install({ directory: join(directory, 'scripts'), dialect: 'lsf', name: 'aws' });
    const script = scripts.find((each) => each.endsWith('getAvailableTemplates.sh')) ?? '';
    const env = {
      HF_PROVIDER_CONFDIR: directory,
      HF_PROVIDER_WORKDIR: join(directory, 'work'),
      HF_PROVIDER_LOGDIR: join(directory, 'log'),
    };
    const { code, out, err } = await asNobody(script, [], { env });
    t.is(code, 1);
    t.deepEqual(Object.keys(JSON.parse(out)), ['message']);
    t.regex(
      JSON.parse(out).message,
      /^The data directory .*work cannot be used: EACCES.*start\.lock'\. Change the permissions, or set MUSTER_DATA_DIR/,
    );
    t.regex(
      err,
      /^\{"level":"error".*"script":"getAvailableTemplates"/,
      'where the log cannot be written, standard error has it',
    );
  },
);
