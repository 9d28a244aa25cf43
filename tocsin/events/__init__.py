"""Events: the one model, its codecs and views, and the matches that subscriptions emit."""
