/** An answer of the cloud that is not what EC2 answers. A fault shows the name of the error as its code. */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer';

  constructor(what: string) {
    super(`${what} Check that the endpoint and what lies before it answer as EC2 does.`);
  }
}
