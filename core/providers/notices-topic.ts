/** The topic of the fact that the notices of an instance arrive now. */
export const noticesTopic = 'notices';
