/** EC2's limit of a fleet: overrides, and so pools in each market. */
export const mostPools = 300;
