// msw depends on packages that have no CommonJS: Babel compiles these. greenroom needs none of this.
module.exports = {
  testEnvironment: 'jest-fixed-jsdom',
  transform: {
    '\\.m?[jt]sx?$': ['babel-jest', { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }],
  },
  transformIgnorePatterns: ['/node_modules/(?!(rettime|until-async|@open-draft/deferred-promise)/)'],
}
