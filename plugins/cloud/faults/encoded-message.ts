const pattern = /\s*\bEncoded authorization failure message: (\S+)/;

/**
 * The encoded message that EC2 adds to a refusal for want of a permission, whole. It says which policy denied the call
 * and is readable with `aws sts decode-authorization-message`.
 */
export const encodedMessageIn = (text: string | undefined): string | undefined => pattern.exec(text ?? '')?.[1];

/** The text without the encoded message, which has thousands of characters that no person can read. */
export const withoutEncodedMessage = (text: string): string => text.replace(pattern, '');
