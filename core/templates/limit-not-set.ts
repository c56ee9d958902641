type Fields = Readonly<Record<string, unknown>>;

/** What holds while a field that bounds something is not set. */
const without: Readonly<Record<string, string>> = {
  max_instances: 'nothing bounds how many machines it may have',
  timeout: 'a request waits 3600 s',
  ready_timeout: 'a machine has 600 s to become ready',
  max_price: 'nothing bounds the price of its Spot machines',
};

/** Said where a field was probably meant and a limit is therefore not set; empty where no limit is lost. */
export const limitNotSet = (meant: string, fields: Fields): string =>
  Object.hasOwn(without, meant) && !Object.hasOwn(fields, meant) ? ` As it stands '${meant}' is not set: ${without[meant]}.` : '';
