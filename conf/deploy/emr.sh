#!/bin/bash
# Bootstrap action of EMR, with two arguments: the folder of the wheel's jars in a bucket, and one of its Spark versions.
# All jars go into one folder, because a class path's `*` does not include subfolders.
set -euo pipefail
from=${1%/} spark=$2
sudo mkdir -p /opt/kafkalyst/jars
sudo aws s3 cp "$from/kafkalyst.jar" /opt/kafkalyst/jars/
sudo aws s3 cp --recursive "$from/common/" /opt/kafkalyst/jars/
sudo aws s3 cp --recursive "$from/spark-$spark/" /opt/kafkalyst/jars/
