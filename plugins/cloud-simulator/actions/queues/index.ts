import type { Action } from '../../dispatch/action.ts';
import { createQueue } from './create-queue.ts';
import { deleteMessage } from './delete-message.ts';
import { deleteMessageBatch } from './delete-message-batch.ts';
import { deleteQueue } from './delete-queue.ts';
import { getQueueAttributes } from './get-queue-attributes.ts';
import { getQueueUrl } from './get-queue-url.ts';
import { receiveMessage } from './receive-message.ts';
import { sendMessage } from './send-message.ts';

export const queuesActions: readonly Action[] = [
  createQueue,
  deleteMessage,
  deleteMessageBatch,
  deleteQueue,
  getQueueAttributes,
  getQueueUrl,
  receiveMessage,
  sendMessage,
];
