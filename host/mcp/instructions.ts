/** What an agent is told before it calls anything. */
export function instructions(readOnly: boolean): string {
  const how = readOnly
    ? ['This server only looks: nothing can be requested, changed or given back through it.']
    : [
        'To get machines: choose a template (list_templates), call create_request with template_id and machine_count, then call sync_and_get_request with its request_id until status is completed, failed or cancelled. Nothing waits for the cloud: every call answers at once, and machines take minutes. Never ask for the same request oftener than every 2 seconds.',
        'completed may be fewer machines than were asked for: fulfilment says how many and why. failed and cancelled have none.',
        'Machines cost money until they are given back: call create_return_request with their machine_ids, and follow the request_id that it answers in the same way. cancel_request stops a request that is still in progress and gives back what came.',
        'Calls marked destructive take machines or records away; cleanup_all_resources gives back every machine of everybody and needs confirm: true. Ask the user first.',
      ];
  const rest = [
    'A failure has error.type, error.code and a message that says what to do; INVALID_REQUEST names every field that is wrong at once. UNAVAILABLE and RATE_LIMITED pass: try again later.',
    'Resources show the same to read: muster://templates, muster://requests, muster://machines, muster://providers, and each thing below them by its id.',
  ];
  return [
    'muster hands out machines from templates through cloud provider instances, follows them and takes them back.',
    ...how,
    ...rest,
  ].join('\n\n');
}
