/** The topic of the facts about what the machines of budgets cost in the last 24 hours, by the name of the budget. */
export const ranTopic = 'budget_ran';

/** The topic of the facts about budgets that were reported as nearly used up: by budget and limit. */
export const nearTopic = 'budget_near';
