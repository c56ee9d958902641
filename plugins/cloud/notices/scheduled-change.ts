/** A planned end of the use of machines, as AWS Health announces it. */
export interface ScheduledChange {
  /** null: the change was cancelled, or is over. */
  readonly starts_at: Date | null;
  /** The resources, which may be others than machines. */
  readonly entities: readonly string[];
  readonly message: string;
  /** The ARN of the event, which its later messages have too. */
  readonly event_id?: string;
}

/** The most characters of an ARN that is kept. */
const mostCharacters = 500;

/** Codes of events after which a machine cannot be used any more. A reboot is none of them. */
const endingCodes = /^(?=.{1,100}$)AWS_EC2_(\w+_)?(RETIREMENT|INSTANCE_STOP)(_\w+)?$/;

/**
 * The scheduled change in the `detail` of an event of AWS Health. Undefined: the event concerns another service or is
 * no such change, or its time cannot be read.
 */
export function scheduledChange(detail: Readonly<Record<string, unknown>>): ScheduledChange | undefined {
  const { service, eventTypeCategory, eventTypeCode, startTime, statusCode, affectedEntities, eventArn } = detail;
  if (service !== 'EC2' || eventTypeCategory !== 'scheduledChange' || !endingCodes.test(String(eventTypeCode)))
    return undefined;
  const starts = new Date(String(startTime));
  const isOver = statusCode === 'closed';
  if (!isOver && Number.isNaN(starts.getTime())) return undefined;
  const entities = (Array.isArray(affectedEntities) ? affectedEntities : []).flatMap((each: unknown) => {
    const value = (each as { readonly entityValue?: unknown } | null)?.entityValue;
    return typeof value === 'string' ? [value] : [];
  });
  const message = isOver
    ? `AWS cancelled or ended a scheduled change of the instance (${String(eventTypeCode)}).`
    : `AWS has scheduled the end of the instance (${String(eventTypeCode)}).`;
  const event_id =
    typeof eventArn === 'string' && eventArn !== '' ? { event_id: eventArn.slice(0, mostCharacters) } : {};
  return { starts_at: isOver ? null : starts, entities, message, ...event_id };
}
