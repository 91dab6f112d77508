export { type ClaimedNotice, claimNotice, type NoticedEnding, type NoticedRun, putOffNotice } from './claim-notice.js';
export { deliveriesOfRun, type DeliveryListing, findDelivery, listDeliveries, redeliver } from './deliveries.js';
export { acknowledgeNotice, type FailedNoticeTry, failTry, type NoticeTry } from './end-notice.js';
export { type OutboxBacklog, outboxBacklog, overdueNotices, waitingNotices } from './overdue-notices.js';
export { type AlertedRun, writeAlerts } from './write-alerts.js';
export { hostOf, type NoticeToSend } from './write-notices.js';
