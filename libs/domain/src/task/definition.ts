import type { SealedKey } from '../notify/secret-keys.js';
import type { HeaderValues } from './header-values.js';
import { NO_RETRIES, type RetryPolicy } from './retry-policy.js';
import type {
  CallbackMethod,
  CatchUpMode,
  ConcurrencyPolicy,
  ExecType,
  Executor,
  FailureAction,
  HttpMethod,
  LatePolicy,
  LogMode,
  NotifyMethod,
  NotifySecurityType,
  OnNodeLost,
  OverlapAction,
  TaskStatus,
} from './words.js';

export interface NotifyTarget {
  url: string;
  method?: NotifyMethod;
}

export interface Notify {
  success?: NotifyTarget;
  error?: NotifyTarget;
  security?: NotifySecurity;
}

export interface NotifySecurity {
  type: NotifySecurityType;
  ak?: string;
  /** Only on its way in: what is stored is sealed. */
  sk?: string;
  /** The secret keys as they are stored, newest first. */
  sealed?: SealedKey[];
}

/** Everything a user may say about a task: what is stored, checked by `taskProblems`, and changed as a whole. */
export interface TaskDefinition {
  name: string;
  description: string | null;
  category: string | null;
  creator: string | null;
  tags: string[];
  /** As the user wrote it; the normalised form is worked out from it. */
  cronSource: string | null;
  timezone: string;
  executor: Executor;
  execType: ExecType;
  httpMethod: HttpMethod;
  targetUrl: string | null;
  headersJson: HeaderValues | null;
  bodyTemplate: string | null;
  command: string | null;
  timeoutSeconds: number;
  retryPolicyJson: RetryPolicy;
  maxConcurrency: number;
  concurrencyPolicy: ConcurrencyPolicy;
  queueLimit: number;
  overlapAction: OverlapAction;
  failureAction: FailureAction;
  catchUpMode: CatchUpMode;
  catchUpLimit: number;
  maxLatenessSeconds: number | null;
  startAt: Date | null;
  endAt: Date | null;
  jitterSeconds: number;
  priority: number;
  callbackMethod: CallbackMethod;
  /** Null only when the user cleared it, which ASYNC does not allow; stored as the default otherwise. */
  callbackTimeoutSec: number | null;
  heartbeatTimeoutSec: number | null;
  latePolicy: LatePolicy;
  needManual: boolean;
  onNodeLost: OnNodeLost;
  notify: Notify | null;
  logMode: LogMode;
  status: TaskStatus;
}

export const DEFAULT_CALLBACK_TIMEOUT_SEC = 3600;

/** What a field is when a request does not name it. */
export const TASK_DEFAULTS: Readonly<Omit<TaskDefinition, 'name'>> = Object.freeze({
  description: null,
  category: null,
  creator: null,
  tags: [],
  cronSource: null,
  timezone: 'UTC',
  executor: 'HTTP',
  execType: 'SYNC',
  httpMethod: 'POST',
  targetUrl: null,
  headersJson: null,
  bodyTemplate: null,
  command: null,
  timeoutSeconds: 10,
  retryPolicyJson: NO_RETRIES,
  maxConcurrency: 1,
  concurrencyPolicy: 'QUEUE',
  queueLimit: 1000,
  overlapAction: 'ALLOW',
  failureAction: 'RUN_NEW',
  catchUpMode: 'NONE',
  catchUpLimit: 100,
  maxLatenessSeconds: null,
  startAt: null,
  endAt: null,
  jitterSeconds: 0,
  priority: 0,
  callbackMethod: 'POST',
  callbackTimeoutSec: DEFAULT_CALLBACK_TIMEOUT_SEC,
  heartbeatTimeoutSec: null,
  latePolicy: 'RECORD',
  needManual: false,
  onNodeLost: 'RETRY',
  notify: null,
  logMode: 'trans_log',
  status: 'ENABLED',
});
