/** The formats that machines and pages read, by the names that `--report` takes. */
export const reportFormats = ['junit', 'github', 'markdown', 'json', 'tap'] as const
export type ReportFormat = (typeof reportFormats)[number]
