/** The bus that every account has. Services of AWS send their events to it. */
export const defaultBus = 'default';

/** The name of a bus, by name or ARN. */
export const busNameIn = (nameOrArn: string): string => nameOrArn.split('/').at(-1)!;
